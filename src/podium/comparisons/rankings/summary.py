"""Rankings at a glance: the facts of a table, as text and as HTML."""

from dataclasses import dataclass

from podium.comparisons.summary import Facts, counted, html_facts

RECORD = "games are the other items of the same ranking: those below an item are won, those above it lost"


@dataclass(frozen=True, kw_only=True)
class RankingSummary(Facts):
    """The facts of a table of rankings that a reader wants to know first."""

    noun: str  # ranking or choice
    rankings: int
    sizes: tuple[int, int]  # of the smallest and the largest ranking
    tied: int  # rankings with ties
    rests: int  # rankings with an unordered rest

    def rows(self) -> dict[str, str]:
        """The facts by name, as a table shows them."""
        smallest, largest = self.sizes
        rows = {f"{self.noun}s": f"{self.rankings:,}", "items": f"{self.items:,}"}
        rows[f"items per {self.noun}"] = (
            f"{largest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"
        )
        if self.noun == "ranking":
            rows |= {"with ties": f"{self.tied:,}", "with an unordered rest": f"{self.rests:,}"}
        return rows | self.common_rows()

    def text(self) -> str:
        parts = [f"{counted(self.rankings, self.noun)} of {counted(self.items, 'item')}"]
        if self.noun == "ranking":
            special = ((self.tied, "with ties"), (self.rests, "with an unordered rest"))
            parts += [f"{number:,} {what}" for number, what in special if number]
        return f"<Rankings: {', '.join(parts + self.common_parts())}>"

    def html(self) -> str:
        return html_facts("Rankings", self.rows())
