"""Which commands destroy, by tool, verb and flag: those get a mark, what only looks gets none."""

import pytest

from bot.citations.commands import destroys, destroys_in_prose

DESTROY = r"""
sudo find /var/log/postgresql -name '*.log.*' -mtime +7 -delete
find . -name core -exec rm {} \;
find . -name core -print0 | xargs -0 -r rm
rm notes.txt
    rm -rf /tmp/cache
sudo -u postgres rm base/1
for f in *; do rm $f; done
: > /var/log/app.log
truncate -s 0 /var/log/app.log
dd if=/dev/zero of=/dev/sdb
mkfs.ext4 /dev/sdb
sudo lvextend --resizefs -L +200G /dev/vg0/pgdata
lvremove vg0/old
SELECT pg_drop_replication_slot('ledger_export');
DROP TABLE orders;
TRUNCATE orders;
DELETE FROM orders;
redis-cli -h redis-0 FLUSHALL
db.orders.deleteMany({})
DELETE /bikes-v40
curl -s -X DELETE http://search:9200/bikes-v40
curl --request DELETE http://search:9200/bikes-v40
curl -XPOST http://search:9200/bikes/_delete_by_query
POST /_cluster/reroute {"commands": [{"allocate_stale_primary": {"accept_data_loss": true}}]}
sudo patronictl -c /etc/patroni/patroni.yml failover spoke --candidate db-prod-2 --force
patronictl reinit spoke db-prod-2
kubectl -n payments delete pod payments-api-0
kubectl --context prod drain node-7
terraform destroy
git push --force
git push origin +main
nomad job stop -purge api
"""

LOOK = r"""
kubectl get pods
kubectl describe pod payments-api-0
kubectl auth can-i delete pods
kubectl rollout restart deployment/api
kubectl scale deploy/api --replicas=6
kubectl uncordon node-7
docker logs --since 1h reset
docker rm --help
find /var/log -name '*.log' -mtime +7
find . -name '*-deleted'
lvs
dd if=/dev/sdb bs=1M count=1
SELECT slot_name FROM pg_replication_slots
redis-cli LLEN q:emails
grep DELETE access.log
GET /_cat/indices
curl -s -X POST 'http://search:9200/_cluster/reroute?retry_failed=true'
{"index.blocks.read_only_allow_delete": null}
patronictl -c /etc/patroni/patroni.yml list
terraform plan
git push -u origin main
git fetch --prune
ON DELETE CASCADE
"""


@pytest.mark.parametrize("command", DESTROY.strip().split("\n"))
def test_what_destroys_is_known(command: str) -> None:
    """By its verb, its flag or what it calls; in a list, after `sudo` and in a loop too."""
    assert destroys(command)


@pytest.mark.parametrize("command", LOOK.strip().split("\n"))
def test_what_looks_or_restarts_is_harmless(command: str) -> None:
    """A mark that is often wrong isn't read."""
    assert not destroys(command)


@pytest.mark.parametrize(
    ("sentence", "typed"),
    [
        ("Run find /var/log -mtime +7 -delete now.", "find /var/log -mtime +7 -delete"),
        ("Send DELETE /bikes-v40 to it.", "DELETE /bikes-v40"),
        ("Run lvextend -L +5G on it.", "lvextend -L"),
        ("We find that nobody wants to delete it; helm can remove it.", ""),
        ("Consul failover takes a minute.", ""),
    ],
)
def test_prose_is_no_command_until_it_is_written_like_one(sentence: str, typed: str) -> None:
    """Sentences speak of deleting without doing it."""
    assert destroys_in_prose(sentence) == typed
