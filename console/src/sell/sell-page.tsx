import { Link } from 'wouter-preact'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { SectionNav } from '../ui/shell/section-nav.tsx'
import { CheckForm } from './check-form.tsx'
import { ExposureForm } from './exposure-form.tsx'
import { InspectForm } from './inspect-form.tsx'
import { ListForm } from './list-form.tsx'
import { WithdrawForm } from './withdraw-form.tsx'

const SECTIONS = [
  { href: '/console/sell', label: 'List' },
  { href: '/console/sell/inspect', label: 'Inspect' },
  { href: '/console/sell/outputs', label: 'Exposure' },
  { href: '/console/sell/safe', label: 'Safe to spend' },
  { href: '/console/sell/withdraw', label: 'Withdraw' },
] as const

/** What a seller does: list, see what is wrong, see what an output is exposed to, withdraw. */
export function SellPage({ section }: { section: string | undefined }) {
  usePageTitle(titleOf(section))
  return (
    <>
      <h1>Sell</h1>
      <SectionNav label="Selling" sections={SECTIONS} />
      <SellSection section={section} />
    </>
  )
}

/** Each section is a page of its own to a screen reader. */
function titleOf(section: string | undefined): string {
  const of = SECTIONS.find(({ href }) => href === `/console/sell/${section}`)
  return of ? `Sell: ${of.label}` : 'Sell'
}

function SellSection({ section }: { section: string | undefined }) {
  if (section === undefined) return <ListForm />
  if (section === 'inspect') return <InspectForm />
  if (section === 'withdraw') return <WithdrawForm />
  if (section === 'outputs') return <ExposureForm />
  if (section === 'safe') return <CheckForm />
  return (
    <p>
      No such page. <Link href="/console/sell">To selling</Link>
    </p>
  )
}
