"""The linear machines for many pairs: Newton on a smoothed loss, certified by the dual."""
