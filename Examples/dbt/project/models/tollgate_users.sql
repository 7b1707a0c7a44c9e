-- The columns that the rules read, as config.select(database="duckdb", table="users") writes them.
select *
from 'users.parquet'
