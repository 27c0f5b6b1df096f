"""Classify ten digits with binary classifiers and four codes; compare log loss and errors."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import podium as pod

rcParams.update(pod.plot.style())
X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X / 16, y, train_size=600, random_state=0, stratify=y)
codes = ("one-vs-rest", "one-vs-one", "dense", "sparse")
losses, errors = [], []
for code in codes:
    model = pod.CodedClassifier(LogisticRegression(max_iter=1000), code=code, random_state=0).fit(X, y)
    chances = model.predict_proba(X_test)
    losses.append(log_loss(y_test, chances))
    errors.append(100 * np.mean(model.classes_[chances.argmax(axis=1)] != y_test))
    print(f"{code:12} {len(model.code_):3} problems  log loss {losses[-1]:.3f}  wrong {errors[-1]:.1f} %")

figure = Figure(figsize=(7, 2.8), layout="constrained")
for ax, values, name in zip(figure.subplots(1, 2), (losses, errors), ("log loss", "wrong, %"), strict=True):
    ax.barh(codes, values, height=0.6)
    ax.invert_yaxis()
    ax.set_xlabel(name)
pod.plot.save_figure(figure, "coupling.png", dpi=120)
