"""The course for a class: web pages, slides, dashboards, bundles to hand out, and a doctor."""
