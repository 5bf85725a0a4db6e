"""From finalized records to tables, statistics, figures and the report page. It only reads: it never plays or solves."""
