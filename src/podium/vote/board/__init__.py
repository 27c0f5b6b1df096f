"""The board that follows the votes: `tally` adds them up, `standing` ranks the items, `chart` draws them."""
