#!/bin/bash
# Runs FOLDER/recipe/commands.sh as on a machine whose journald is the one of a namespace: recipe.sh NAMESPACE FOLDER. It has
# mount, network and process namespaces of its own (unshare): all that is mounted and started here ends with it.
set -e
namespace=$1 scratch=$2/scratch

mkdir "$scratch"
mount -t tmpfs tmpfs "$scratch"
for path in etc dev; do # What is written there is in the scratch folder.
    mkdir "$scratch/$path" "$scratch/$path/upper" "$scratch/$path/work"
    mount -t overlay -o "lowerdir=/$path,upperdir=$scratch/$path/upper,workdir=$scratch/$path/work" overlay "/$path"
done
mkdir "$scratch/journal"
mount --bind "/run/systemd/journal.$namespace" "$scratch/journal"
for path in /run /var/lib /var/log /dev/shm; do mount -t tmpfs tmpfs "$path"; done
mkdir -p /run/systemd/journal
mount --bind "$scratch/journal" /run/systemd/journal
ln -sf /run/systemd/journal/dev-log /dev/log

cd "$2/recipe"
# shellcheck source=/dev/null
. ./commands.sh

# What still writes may end: a container's monitor, a server that was asked to stop.
for ((i = 0; i < 200; i++)); do
    processes=(/proc/[0-9]*)
    [ ${#processes[@]} = 1 ] && exit
    sleep 0.05
done
echo "still running: $(cat /proc/[0-9]*/comm | tr '\n' ' ')" >&2
exit 1
