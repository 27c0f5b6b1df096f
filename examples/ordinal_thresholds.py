"""Ordered classes: one score, divided by thresholds."""

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import podium as pod

rcParams.update(pod.plot.style())
X, progression = load_diabetes(return_X_y=True, scaled=False)
X = (X - X.mean(axis=0)) / X.std(axis=0)
grades = ["slow", "middle", "fast"]
y = pd.Categorical.from_codes(np.digitize(progression, [90, 180]), grades, ordered=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = pod.OrdinalSVM(C=0.1).fit(X_train, y_train)
print(f"thresholds {model.thresholds_.round(2)}, accuracy {model.score(X_test, y_test):.2f}")
print(f"duality gap at most {model.tol:g}: {model.result_.gap <= model.tol}")

score = model.projection(X_test)
figure = Figure(figsize=(6.5, 3.2), layout="constrained")
ax = figure.add_subplot()
bins = np.linspace(score.min(), score.max(), 25)
ax.hist([score[y_test == grade] for grade in grades], bins, stacked=True, label=grades)
for threshold in model.thresholds_:
    ax.axvline(threshold, color=pod.plot.palette().ink, linestyle="--", linewidth=1.2)
ax.set_xlabel("score h(x) of patients not seen; dashed: the thresholds")
ax.set_ylabel("patients")
ax.legend(title="disease progression")
pod.plot.save_figure(figure, "ordinal_thresholds.png", dpi=120)
