#!/bin/sh
# Does ./run set up a machine that has nothing? Makes a minimal Debian 12 in a folder and runs ./run inside it, on a clean
# clone. Not part of continuous integration: it needs root, debootstrap, a network, about 4 GB of disk and half an hour.
#
#   tests/fresh_debian.sh <new folder> [test|demo] [argument of ./run]...
#
# Packages come from where the host gets its own (its sources below /etc/apt are copied). What is not committed is not tested.
# The folder is kept; remove it by hand, after a look that nothing is mounted below it.
set -eu

if [ $# -lt 1 ]; then
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
    exit 2
fi
folder=$1
shift
[ $# -gt 0 ] || set -- test
if [ -e "$folder/root" ]; then
    echo "$folder/root exists already" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo 'this needs root' >&2
    exit 1
fi
repository=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
root=$(cd "$folder" && pwd)/root

# The first archive of the host, in either format of its lists.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\).*/\2/p' | head -n 1)
echo "== debootstrap"
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror"

rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"
for path in sources.list sources.list.d keyrings trusted.gpg.d; do
    [ ! -e "/etc/apt/$path" ] || cp -a "/etc/apt/$path" "$root/etc/apt/"
done
cp /etc/resolv.conf /etc/hosts "$root/etc/"

git clone --quiet --no-local "$repository" "$root/anemone"

mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
trap 'exit 1' INT TERM
echo "== ./run $* in $root"
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
    ${ANEMONE_JOBS:+"ANEMONE_JOBS=$ANEMONE_JOBS"} /anemone/run "$@"
