import { Link, useRoute } from 'wouter-preact'

interface Section {
  href: string
  label: string
}

/** The parts of a page that has several. */
export const SectionNav = ({
  label,
  sections,
}: {
  label: string
  sections: readonly Section[]
}) => (
  <nav class="sections" aria-label={label}>
    {sections.map((one) => (
      <SectionLink key={one.href} {...one} />
    ))}
  </nav>
)

function SectionLink({ href, label }: Section) {
  const [isHere] = useRoute(href)
  return (
    <Link href={href} aria-current={isHere ? 'page' : undefined}>
      {label}
    </Link>
  )
}
