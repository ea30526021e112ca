#!/bin/sh
# Commands have the settings of the service if the user may read them: root and the user pharos.
settings=/etc/default/pharos
[ -r "$settings" ] || settings=/dev/null
exec /usr/lib/pharos/bin/node --env-file="$settings" /usr/lib/pharos/bin/pharos.js "$@"
