"""What is read in a lesson and can be moved there: sentences with numbers to drag."""

from bflo_viz.explorers.sentence import Sentence as Sentence
