-- A team or an audience without a name would be public to the keyword engine pg_search, whose index
-- holds '' where a document has none, and hidden everywhere else. Nothing has ever written one.

DELETE FROM document WHERE team = '' OR audience = '';

ALTER TABLE document
    ADD CONSTRAINT document_team_named CHECK (team <> ''),
    ADD CONSTRAINT document_audience_named CHECK (audience <> '');
