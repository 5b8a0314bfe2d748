/** Each would run, or break out of its element, if it became markup. */
export const HOSTILE = [
  '<img src=x onerror="window.ran=1">',
  '"><script>window.ran=1</script>',
  '<svg/onload=window.ran=1>',
  'javascript:window.ran=1',
  '</bdi></q><iframe srcdoc="<script>parent.ran=1</script>">',
]
/** What must not appear anywhere, whatever strangers wrote; the page draws icons of its own. */
export const MARKUP =
  'img, iframe, script, svg:not(.icon), [onerror], [onload], a[href^="javascript"]'
