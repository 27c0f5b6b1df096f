"""Embeddings: learn from votes on answers which vectors are good, and score answers that nobody has seen."""

import numpy as np
from matplotlib import figure, rcParams
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.random_projection import GaussianRandomProjection

import podium as pod

rcParams.update(pod.plot.style())
try:
    from torch import asarray, cuda
except ImportError:
    cuda = None
on_gpu = cuda is not None and cuda.is_available()

GOOD = ("First check the {}, since it fails most often.", "For example, clean the {} with warm water.",
        "If the {} is hot, wait ten minutes.", "A new {} costs about 20 euros.")  # fmt: skip
BAD = ("There are many opinions about any {}.", "As we all know, the {} is important.",
       "I cannot help you with your {}.", "In conclusion, it depends on the {}.")  # fmt: skip
TOPICS = "pump filter brake lamp oven chain valve boiler mixer fan drill printer".split()
MODELS = {"sage": 0.75, "owl": 0.6, "fox": 0.45, "parrot": 0.3}  # the share of good sentences
rng = np.random.default_rng(0)
strings = HashingVectorizer(n_features=2**14, analyzer="char_wb", ngram_range=(3, 5), norm=None)


def write(n: int, topics: list[str]) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Simulated answers: who wrote them, their text, and good sentences minus bad ones."""
    author = rng.choice(list(MODELS), n)
    good = [rng.random(rng.integers(2, 5)) < MODELS[name] for name in author]
    text = [" ".join(rng.choice(GOOD if g else BAD).format(rng.choice(topics)) for g in row) for row in good]
    return author, text, np.array([2 * row.sum() - len(row) for row in good])


def embed(answers: list[str]) -> np.ndarray:
    """In place of a language model: counts of short strings, projected to 256 numbers; on a GPU if any."""
    vectors = GaussianRandomProjection(256, random_state=0).fit_transform(strings.transform(answers))
    return asarray(vectors.astype(np.float32), device="cuda") if on_gpu else vectors


_, answers, quality = write(2_000, TOPICS[:8])
left, right = np.array([rng.permutation(2_000)[:2] for _ in range(10_000)]).T
appeal = quality[right] - quality[left] + rng.logistic(size=len(left))
vote = np.sign(np.trunc(appeal)).astype(np.int8)  # a tie if it is below 1
votes = pod.Comparisons.from_codes(np.arange(2_000), left, right, vote).with_features(embed(answers))
model = pod.LinearCompare("logistic", C=0.01, random_state=0).fit(votes)
author, answers, quality = write(800, TOPICS[8:])  # new answers on other topics
score = np.array(model.utility(embed(answers)).tolist())  # from wherever the vectors are
mean = {name: score[author == name].mean() for name in MODELS}
print(*(f"{name:8}{mean[name]:5.1f}" for name in sorted(mean, key=mean.get, reverse=True)), sep="\n")
print(f"best:  {answers[score.argmax()]}\nworst: {answers[score.argmin()]}")

picture = figure.Figure(figsize=(6.5, 3.4), layout="constrained")
ax, x = picture.add_subplot(), quality + rng.uniform(-0.3, 0.3, len(quality))
for name in MODELS:
    ax.scatter(x[author == name], score[author == name], 6, label=name)
ax.set(xlabel="quality of a new answer: good sentences minus bad ones", ylabel="score")
ax.legend(markerscale=2)
pod.plot.save_figure(picture, "embeddings.png", dpi=120)
