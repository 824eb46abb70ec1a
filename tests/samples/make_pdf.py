"""Writes the one sample that is no text file: bot/samples/database/restore-handbook.pdf.

    python tests/samples/make_pdf.py [TARGET]

The same text gives the same bytes: the date is fixed and nothing is compressed, since
compressors differ between machines. The text lives here because a PDF cannot be reviewed.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

from fpdf import FPDF

TITLE = "Restore handbook: from backup to open shop"
TARGET = Path(__file__).parents[2] / "bot" / "samples" / "database" / "restore-handbook.pdf"

# "## " begins a heading, four spaces begin commands, all else is a paragraph.
TEXT = """
## 1. Before you restore anything

This handbook is for the night when a failover does not help: both machines are gone, or both
hold the same wrong data because somebody deleted the right data. A restore takes about two
hours and loses up to five minutes of orders. Only the incident captain may decide on it.

## What we promise

Recovery point: 5 minutes. PostgreSQL archives a WAL segment at least every 60 seconds to the
bucket spoke-backups.

Recovery time: 2 hours, measured from the captain's decision to the first order.

Full backup: Sunday 01:00 UTC. Differential backup: every other day at 01:00 UTC. Backups are
kept for 35 days.

## Restore, or something smaller?

One table emptied by mistake: restore next to production, copy the one table back, and leave the
shop open in read-only mode meanwhile.

Wrong prices: not a restore. The price import can undo a run by itself.

Primary dead, replica healthy: not a restore. See replication and failover.

Primary dead, replica far behind: compare. A replica that is 20 minutes behind loses more than a
restore, which loses five.

## First commands

    redis-cli -h redis-cache-0.checkout.svc HSET flags ingress.maintenance 1
    ssh db-prod-3.int.secondspoke.example
    sudo -u postgres pgbackrest --stanza=spoke info

db-prod-3 is the spare machine. It is empty, has the same disks, and is switched on all year for
this one purpose. If info shows no backup younger than 26 hours, stop and wake the Stores
secondary.

=== page

## 2. Restore to a point in time

Choose the minute. It is the last one before the damage, in UTC, and the scribe writes it down
together with who chose it. For a deleted table the statement stands in the log of db-prod-1; go
back ten seconds further.

    sudo systemctl stop patroni
    sudo -u postgres pgbackrest --stanza=spoke --delta \\
      --type=time --target='2026-05-11 02:14:50+00' \\
      --target-action=pause restore
    sudo -u postgres pg_ctlcluster 16 main start

Copying takes 70 minutes for 700 GB. The replay of WAL takes one minute for each hour since the
last backup. Follow it in the log: the line 'recovery stopping before commit' says that the
minute is reached, and 'pausing at the end of recovery' that the server waits for you.

## When it does not work

Error 'unable to find a valid repository': the spare machine has old credentials for the bucket.
They are in the on-call vault under pgbackrest.

Error 'recovery ended before configured recovery target was reached': the minute is later than
the last archived WAL. Choose an earlier one; the loss is what it is.

Log says 'could not open file pg_wal': the archive has a hole. Restore to the minute before the
hole and tell the captain at once.

## What not to do

Never restore over db-prod-1 or db-prod-2. Whatever is left there is evidence, and may hold the
five minutes that the backup does not. Never use --target-action=promote in the first attempt:
after a promotion you cannot go a little further forward.

=== page

## 3. Check, promote, reopen

The server is paused and can be read. Check before you promote; every check is one query and
none takes longer than a minute.

    select max(created_at) from orders;
    select count(*) from bike where state = 'on_sale';
    -- the ledger has to balance: the answer must be 0
    select coalesce(sum(amount_cents), 0) from entry;

The newest order must be close to the chosen minute. The number of bicycles must be near 58,000.
If the ledger does not balance, stop and call Money.

## Promote

    psql -h 127.0.0.1 -U postgres -c 'select pg_promote()'

## Point the shop to it

Change the host in the ConfigMap pgbouncer-config, namespace database, from db-prod-1 to
db-prod-3, and restart both PgBouncer pods. Then, in this order: restart payments-api; rebuild
the search index (35 minutes, the shop may open meanwhile with search.fallback_sql); ask Ringpay
to resend the webhooks of the last 2 hours; take down the closed sign.

    kubectl --context spoke-prod -n database rollout restart deploy/pgbouncer
    kubectl --context spoke-prod -n payments rollout restart deploy/payments-api
    redis-cli -h redis-cache-0.checkout.svc HDEL flags ingress.maintenance

## What the lost minutes mean

Payments of the lost minutes exist at Ringpay and not with us. The resent webhooks name orders
that we do not know (ERR_5020). Money refunds them one by one and support writes to the
customers. On an ordinary evening these are fewer than ten.

=== page

## 4. The quarterly drill

A backup that was never restored is a rumour. In the second week of each quarter the Stores team
restores yesterday's backup to the drill machines db-drill-1 and db-drill-2 and stops the clock
when the three checks of page 3 are green. The person who does it must not have done it the last
time.

## Results so far

    quarter   copied    replayed  checks   total     remark
    2025-Q2   96 min    31 min    9 min    136 min   over two hours
    2025-Q3   88 min    22 min    7 min    117 min   new disks
    2025-Q4   71 min    19 min    6 min     96 min
    2026-Q1   70 min    24 min    5 min     99 min   bucket key expired
    2026-Q2   69 min    17 min    5 min     91 min

## Staging

Staging has no backup and no archive. db-stg-1 is filled again from the invented data set, which
takes 6 minutes:

    kubectl --context spoke-staging -n database create job --from=cronjob/refill refill-now

Never restore a production backup to staging. It holds real customers, and the mail catcher
there can be read by everyone in the house.

## After a real restore

Take a full backup of db-prod-3 within the first hour; until it is done we live without a net.
Build a replica with patronictl reinit on the following day. Keep the disks of the old machines
for 30 days. The postmortem is due within 5 working days, as ever.
"""

HEADING, PARAGRAPH, COMMANDS = (
    ("Helvetica", "B", 13, 7),
    ("Helvetica", "", 10.5, 5.4),
    ("Courier", "", 9, 4.6),
)


def write(target: Path) -> None:
    """Write the handbook to `target`."""
    pages = TEXT.strip().split("\n\n=== page\n\n")
    pdf = FPDF(format="A4")
    pdf.set_compression(compress=False)
    pdf.set_title(TITLE)
    pdf.set_author("Stores")
    pdf.set_creation_date(datetime(2026, 5, 11, 9, 0, tzinfo=UTC))
    pdf.set_auto_page_break(auto=False)
    pdf.set_margin(20)
    for number, page in enumerate(pages, start=1):
        pdf.add_page()
        if number == 1:
            _block(pdf, TITLE, ("Helvetica", "B", 18, 9))
        for block in page.split("\n\n"):
            if block.startswith("## "):
                _block(pdf, block.removeprefix("## "), HEADING)
            elif block.startswith("    "):
                _block(pdf, "\n".join(line[4:] for line in block.splitlines()), COMMANDS)
            else:
                _block(pdf, block.replace("\n", " "), PARAGRAPH)
        pdf.set_y(-15)
        pdf.set_font("Helvetica", "", 8)
        pdf.cell(0, 5, f"Second Spoke, Stores - page {number} of {len(pages)}", align="C")
    pdf.output(str(target))


def _block(pdf: FPDF, text: str, style: tuple[str, str, float, float]) -> None:
    font, weight, size, height = style
    pdf.set_font(font, weight, size)
    pdf.multi_cell(0, height, text, new_x="LMARGIN", new_y="NEXT", align="L")
    pdf.ln(2.2)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
