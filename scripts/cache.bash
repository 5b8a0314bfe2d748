# Sourced by what installs: the folder outside the repository that all checkouts of this machine share.
CACHE="${MARKET_SERVICES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/market-services}"
readonly CACHE

# lock_cache NAME: until this script ends, or `unlock_cache`, no other run installs what is locked by the same name.
lock_cache() {
  local file="$CACHE/$1.lock"
  mkdir -p "$CACHE"
  # A cache that this user cannot write to has all there is, or what follows says so.
  if ! command -v flock >/dev/null || ! touch "$file" 2>/dev/null; then return; fi
  exec 9<"$file"
  flock --nonblock 9 || {
    printf '%s: waiting for another run to install\n' "$1" >&2
    flock 9
  }
}

unlock_cache() { exec 9<&-; }
