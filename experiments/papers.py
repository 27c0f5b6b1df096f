"""The five papers behind podium: who wrote them, where to find them, and why our numbers differ."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """What the page says about a paper before its tables and figures."""

    heading: str  # that of its experiments
    citation: str
    differences: str

    @property
    def lines(self) -> list[str]:
        return [self.citation, "", f"**Why our numbers differ.** {self.differences}", ""]


PAPERS = (
    Paper(
        "Venuto, Hocking, Spanurattana and Sugiyama (2014): Support vector comparison machines",
        "David Venuto, Toby Dylan Hocking, Supaporn Spanurattana and Masashi Sugiyama: *Support "
        "vector comparison machines*. Preprint, [arXiv:1401.8008](https://arxiv.org/abs/1401.8008). "
        "We use a version of 2016 or later.",
        "The paper shows curves without a table of numbers, so we compare what it says about them. "
        "The simulated points and the samples of sushi pairs are drawn again. Its file of chess games "
        "is not public, so ours are from The Week in Chess, and it does not list all 16 features.",
    ),
    Paper(
        "Bagnell and Wu (lecture notes, undated): Learning by constraints and SVMs (2)",
        "Drew Bagnell (lecturer) and Albert Wu (scribe): *Learning by constraints and SVMs (2)*. "
        "Lecture notes, undated. We know of no permanent address.",
        "The notes have no experiment. They state rates of convergence in the limit; we measure the "
        "first fifty passes.",
    ),
    Paper(
        "Díez, del Coz and Bahamonde (about 2006): A support vector method for ranking minimizing the "
        "number of swapped pairs",
        "Jorge Díez, Juan José del Coz and Antonio Bahamonde: *A support vector method for ranking "
        "minimizing the number of swapped pairs*. Artificial Intelligence Center, University of "
        "Oviedo at Gijón. The text has no date; the newest work that it cites is of 2005. "
        "[ResearchGate](https://www.researchgate.net/publication/245092557) has a copy.",
        "The authors' random splits are not known, and the paper does not say how attributes were "
        "scaled. We standardise them and turn nominal ones into indicators.",
    ),
    Paper(
        "Polato, Faggioli, Lauriola and Aiolli (2019): Playing the large margin preference game",
        "Mirko Polato, Guglielmo Faggioli, Ivano Lauriola and Fabio Aiolli: *Playing the large margin "
        "preference game*. Artificial Neural Networks and Machine Learning – ICANN 2019, Springer, "
        "[doi:10.1007/978-3-030-30484-3_62](https://doi.org/10.1007/978-3-030-30484-3_62); "
        "[preprint](https://hdl.handle.net/2318/1870175).",
        "The paper has one split of each data set and chose λ and s by test accuracy; we take the "
        "mean over several splits with the values that it found. It does not say how features were "
        "scaled. On the two large sets we play fewer games, and w8a needs a ridge.",
    ),
    Paper(
        "Huang, Lin and Weng (2004): A generalized Bradley–Terry model",
        "Tzu-Kuo Huang, Chih-Jen Lin and Ruby C. Weng: *A generalized Bradley–Terry model: from group "
        "competition to individual skill*. [Advances in Neural Information Processing Systems 17 (NIPS 2004)]"
        "(https://papers.nips.cc/paper/2004/hash/825f9cd5f0390bc77c1fed3c94885c87-Abstract.html). "
        "A longer version is *Generalized Bradley–Terry models and multi-class probability "
        "estimates*, Journal of Machine Learning Research 7 (2006), 85–115.",
        "The authors' splits and parameters are not known. We chose C and γ once per data set and "
        "size, by cross-validation of a one-vs-one SVC. Our usps and mnist seem to be prepared "
        "differently.",
    ),
)
