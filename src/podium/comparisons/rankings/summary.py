"""Rankings at a glance: the facts of a table, as text and as HTML."""

from dataclasses import dataclass

from podium.comparisons.summary import counted, html_facts

RECORD = "games are the other items of the same ranking: those below an item are won, those above it lost"


@dataclass(frozen=True)
class RankingSummary:
    """The facts of a table of rankings that a reader wants to know first."""

    noun: str  # ranking or choice
    rankings: int
    items: int
    sizes: tuple[int, int]  # of the smallest and the largest ranking
    tied: int  # rankings with ties
    rests: int  # rankings with an unordered rest
    components: int
    count: float | None  # of observations, if some ranking stands for more or less than one
    weight: float | None
    groups: int | None
    time: tuple[str, str] | None

    def rows(self) -> dict[str, str]:
        """The facts by name, as a table shows them."""
        smallest, largest = self.sizes
        rows = {f"{self.noun}s": f"{self.rankings:,}", "items": f"{self.items:,}"}
        rows[f"items per {self.noun}"] = (
            f"{largest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"
        )
        if self.noun == "ranking":
            rows |= {"with ties": f"{self.tied:,}", "with an unordered rest": f"{self.rests:,}"}
        rows["components"] = f"{self.components:,}"
        rows |= {name: f"{total:,.6g}" for name, total in self._sums() if total is not None}
        if self.groups is not None:
            rows["groups"] = f"{self.groups:,}"
        if self.time is not None:
            rows["time"] = " to ".join(self.time)
        return rows

    def text(self) -> str:
        parts = [f"{counted(self.rankings, self.noun)} of {counted(self.items, 'item')}"]
        if self.noun == "ranking":
            special = ((self.tied, "with ties"), (self.rests, "with an unordered rest"))
            parts += [f"{number:,} {what}" for number, what in special if number]
        if self.components:
            parts.append("connected" if self.components == 1 else f"{self.components:,} components")
        parts += [f"{name} {total:,.6g}" for name, total in self._sums() if total is not None]
        if self.groups is not None:
            parts.append(counted(self.groups, "group"))
        return f"<Rankings: {', '.join(parts)}>"

    def html(self) -> str:
        return html_facts("Rankings", self.rows())

    def _sums(self) -> tuple[tuple[str, float | None], ...]:
        return ("count", self.count), ("weight", self.weight)
