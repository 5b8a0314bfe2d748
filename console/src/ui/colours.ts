/** Colours of the theme that an element has, by the names of `styles/base.css`. */
export function coloursOf<Name extends string>(
  element: Element,
  names: readonly Name[],
): Record<Name, string> {
  const style = getComputedStyle(element)
  const pairs = names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()] as const)
  return Object.fromEntries(pairs) as Record<Name, string>
}
