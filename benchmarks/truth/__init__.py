"""Labelled exports of real models, and how far lintorch agrees with them."""
