"""The course for a class: web pages, slides, a server for a class, bundles to hand out, and a doctor."""
