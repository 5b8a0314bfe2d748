CREATE DATABASE IF NOT EXISTS market;
CREATE USER IF NOT EXISTS `market-gateway` IDENTIFIED BY 'PASSWORD';
GRANT SELECT ON market.* TO `market-gateway` WITH REPLACE OPTION;
CREATE USER IF NOT EXISTS `market-projector` IDENTIFIED BY 'PASSWORD';
GRANT SELECT, CREATE TABLE, ALTER ADD COLUMN, ALTER ADD INDEX, ALTER MATERIALIZE INDEX ON market.*, DROP TABLE ON market._tmp_replace_*, INSERT, DROP VIEW ON market.stats_sales, INSERT, DROP VIEW ON market.stats_sellers, INSERT, DROP VIEW ON market.stats_sources, INSERT ON market.activity_rows, INSERT ON market.order_evidence_rows, INSERT ON market.order_transition_rows, INSERT ON market.position_rows, INSERT ON market.schema_migrations, INSERT ON market.settlement_rows, INSERT ON market.verification_rows TO `market-projector` WITH REPLACE OPTION;
CREATE USER IF NOT EXISTS `market-pairing` IDENTIFIED BY 'PASSWORD';
GRANT SELECT, CREATE TABLE, ALTER ADD COLUMN, ALTER ADD INDEX, ALTER MATERIALIZE INDEX ON market.*, DROP TABLE ON market._tmp_replace_*, INSERT, DROP VIEW ON market.stats_sales, INSERT, DROP VIEW ON market.stats_sellers, INSERT, DROP VIEW ON market.stats_sources, INSERT ON market.pairing_block_rows, INSERT ON market.pairing_event_rows, INSERT ON market.pairing_transaction_rows, INSERT ON market.schema_migrations TO `market-pairing` WITH REPLACE OPTION;
