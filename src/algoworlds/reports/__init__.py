"""From finalized records to tables, statistics, figures and the report."""
