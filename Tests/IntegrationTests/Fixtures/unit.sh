#!/bin/bash
# Runs inside a container whose PID 1 is systemd, beside glossd.service as it is shipped. Each step leaves one line in
# /results/steps: "ok NAME" or "FAILED NAME: why". The container is switched off at the end.
steps=/results/steps
journal_group=$(getent group systemd-journal | cut -d: -f3)

ok() { echo "ok $1" >>$steps; }
failed() { echo "FAILED $1: ${*:2}" >>$steps; }
check() { # name, what is expected, what is there
    if [ "$2" = "$3" ]; then ok "$1"; else failed "$1" "expected '$2', found '$3'"; fi
}
soon() { # command...: true within 20 seconds
    for ((i = 0; i < 200; i++)); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done
    return 1
}
insider() { setpriv --reuid=4711 --regid=4711 --groups="$journal_group" "$@"; }
outsider() { setpriv --reuid=4712 --regid=4712 --clear-groups "$@"; }
count() { insider glossctl show -n all -o ndjson | grep -c '"type":"event"'; }
sees() { [ "$(count)" = "$1" ]; }

if soon systemctl is-active glossd.service; then ok active; else failed active "$(systemctl status glossd.service)"; fi
check type notify "$(systemctl show -p Type --value glossd.service)"
check status-line yes "$(systemctl show -p StatusText --value glossd.service | grep -q . && echo yes)"
check state-folder "drwx------" "$(stat -Lc %A /var/lib/gloss)"
check socket-mode "srw-rw----" "$(stat -c %A /run/gloss/control.sock)"
check socket-group systemd-journal "$(stat -c %G /run/gloss/control.sock)"

glossctl emit --subsystem com.example.shop --category ActivityLog \
    '{"event_category":"recipe_search","event_name":"search","session_id":"s","platform":"ios","keyword":"魚","order":"new","results":1}'
if soon sees 1; then ok member-sees-the-event; else failed member-sees-the-event "$(insider glossctl show 2>&1)"; fi
check resolved resolved "$(insider glossctl show -o ndjson | grep -o '"resolution":"[a-z]*"' | cut -d'"' -f4)"
check sql recipe_search/search,魚,1 "$(insider glossctl sql -o csv \
    'SELECT event, keyword, count(*) FROM recipe_search_search JOIN events ON id = gloss_id' 2>&1 | tail -n 1)"

outsider glossctl show >/tmp/outsider 2>&1
check outsider-is-refused 3 $?
check outsider-sees-why yes "$(grep -qi 'permission denied' /tmp/outsider && echo yes)"
insider glossctl reload >/dev/null 2>&1
check member-may-not-change 1 $?
if glossctl reload >/tmp/reload 2>&1; then ok root-may-change; else failed root-may-change "$(cat /tmp/reload)"; fi
if systemctl reload glossd.service && soon systemctl is-active glossd.service; then ok reload; else failed reload; fi

insider glossctl tail >/dev/null 2>&1 &
tails() { insider glossctl status -o json | grep -q '"tails":1'; }
if soon tails; then ok tail-is-open; else failed tail-is-open; fi
systemctl stop glossd.service
check stop-is-clean success "$(systemctl show -p Result --value glossd.service)"
check exit-status 0 "$(systemctl show -p ExecMainStatus --value glossd.service)"
journalctl --sync
check log-is-quiet "" "$(journalctl -q -u glossd.service -p err --no-pager -o cat)"
# Of any priority, and of any library: a start, two reloads and a stop.
check log-has-nothing-else "" "$(journalctl -q _SYSTEMD_UNIT=glossd.service --no-pager -o cat |
    grep -vE '^(Ready\. .*|Reloaded .*|Stopped\.)$')"

glossctl emit --subsystem com.example.shop --category ActivityLog 'while it was down'
systemctl start glossd.service
if soon sees 2; then ok event-while-down-is-there; else failed event-while-down-is-there "$(count)"; fi
pid=$(systemctl show -p MainPID --value glossd.service)
check core-limit "0 0" "$(grep '^Max core file size' /proc/"$pid"/limits | tr -s ' ' | cut -d' ' -f5,6)"
check memory-limit 1073741824 "$(systemctl show -p MemoryMax --value glossd.service)"
check tasks-limit 2048 "$(systemctl show -p TasksMax --value glossd.service)"
restarts() { [ "$(systemctl show -p NRestarts --value glossd.service)" = "$1" ]; }
kill -KILL "$pid"
if soon restarts 1 && soon sees 2; then ok started-again-after-a-kill; else failed started-again-after-a-kill; fi

# journald lets a unit write so many lines in an interval; what it left out it says with the first one after that: once, unless
# the lines take longer than an interval.
systemd-run --quiet --wait --unit=talker -p LogRateLimitIntervalSec=3s -p LogRateLimitBurst=20 \
    /bin/bash -c 'for ((i = 1; i < 3000; i++)); do echo "$i"; done; sleep 4; echo 3000'
journalctl --sync
left_out() {
    echo $((0$(insider glossctl gaps -o ndjson | grep '"cause":"rate_limited"' | grep -o '"count":[0-9]*' |
        sed 's/.*:/+/' | tr -d '\n')))
}
written=$(journalctl -q -u talker.service --no-pager -o cat _TRANSPORT=stdout | wc -l)
says_so() { [ "$((written + $(left_out)))" -ge 3000 ]; }
soon says_so
check rate-limit-was-hit yes "$([ "$written" -lt 3000 ] && echo yes)"
check rate-limit-is-a-gap 3000 "$((written + $(left_out)))"

# The flush writes the entries from /run to /var once more, under other numbers. First while it runs, then while it does not.
say() { for ((i = $1; i <= $2; i++)); do glossctl emit --subsystem com.example.shop --category Other "flush $i"; done; }
stored() { insider glossctl show -n all -o ndjson | grep -o '"message":"flush [0-9]*' | cut -d' ' -f2 | tr '\n' ' '; }
has() { [ "$(stored)" = "$(seq -s ' ' "$1") " ]; }
holes() { insider glossctl gaps -o ndjson | grep -v '"cause":"rate_limited"'; }
say 1 10
mkdir -p /var/log/journal
journalctl --flush
say 11 15
if soon has 15; then ok flush-while-it-runs; else failed flush-while-it-runs "$(stored)"; fi
pid=$(systemctl show -p MainPID --value glossd.service)
frees() { ! ls -l /proc/"$pid"/fd | grep -q '\.journal (deleted)'; }
if soon frees; then ok flush-frees-the-files; else failed flush-frees-the-files "$(ls -l /proc/"$pid"/fd)"; fi
journalctl --relinquish-var
say 16 20
soon has 20
systemctl stop glossd.service
say 21 25
journalctl --flush
say 26 30
systemctl start glossd.service
if soon has 30; then ok flush-while-it-is-down; else failed flush-while-it-is-down "$(stored)"; fi
sleep 5 # What comes late would come now.
check flush-repeats-nothing "$(seq -s ' ' 30) " "$(stored)"
check flush-leaves-no-gap "" "$(holes)"
# The units of docs/metrics.md, with programs from elsewhere, and sockets instead of ports: these are the machine's.
for unit in /etc/gloss/prometheus/*.service /etc/gloss/prometheus/*.socket; do
    sed 's,/usr/local/libexec,/etc/gloss/prometheus,; s,127.0.0.1:9560,/run/metrics.sock,; s,127.0.0.1:9561,/run/proxy.sock,' \
        "$unit" >/etc/systemd/system/"${unit##*/}"
done
mkdir -p /var/lib/prometheus/node-exporter
systemctl daemon-reload
systemctl start gloss-metrics.socket gloss-proxy.socket gloss-textfile.service
check metrics-in-a-file 1 "$(grep -c '^gloss_build_info' /var/lib/prometheus/node-exporter/gloss.prom)"
check metrics-on-a-port 1 "$(curl -s --unix-socket /run/metrics.sock http://x/v1/events | grep -c '^gloss_build_info')"
check api-on-a-port 200 "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket /run/proxy.sock http://x/v1/status)"
check port-may-not-change 403 \
    "$(curl -s -o /dev/null -w '%{http_code}' -X POST --unix-socket /run/proxy.sock http://x/v1/reload)"

if glossctl verify >/tmp/verify 2>&1; then ok verify-agrees; else failed verify-agrees "$(cat /tmp/verify)"; fi

systemctl stop glossd.service
mkdir -p /run/systemd/system/glossd.service.d
echo 'stor: {}' >/run/wrong.yaml
printf '[Service]\nExecStart=\nExecStart=/usr/bin/glossd --config /run/wrong.yaml\n' \
    >/run/systemd/system/glossd.service.d/wrong.conf
systemctl daemon-reload
systemctl start glossd.service >/dev/null 2>&1
check wrong-settings-refuse-the-start 1 $?
sleep 5 # RestartSec=2s
check wrong-settings-are-not-tried-again "failed 78 0" "$(systemctl show -p ActiveState --value glossd.service) $(
    systemctl show -p ExecMainStatus --value glossd.service) $(systemctl show -p NRestarts --value glossd.service)"
journalctl -u glossd.service --no-pager >/results/journal 2>&1
systemctl status glossd.service --no-pager >/results/status 2>&1
echo done >>$steps
systemctl poweroff
