import type { ComponentChildren } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useRef } from 'preact/hooks'
import { Link, Route, Switch, useRoute } from 'wouter-preact'
import { useIsDevnet } from './api/settings.ts'
import { BookPage } from './book/book-page.tsx'
import { Loading } from './ui/awaited/loading.tsx'
import { useArrival } from './ui/shell/arrival.ts'
import { Boundary } from './ui/shell/boundary.tsx'
import { Footer } from './ui/shell/footer.tsx'
import { Mark } from './ui/shell/mark.tsx'
import { Menu } from './ui/shell/menu.tsx'
import { NetworkBadge } from './ui/shell/network-badge.tsx'
import { PageNews } from './ui/shell/page-news.tsx'
import { usePageTitle } from './ui/shell/page-title.ts'
import { useSlash } from './ui/shell/slash.ts'
import { ThemeButton } from './ui/shell/theme-button.tsx'
import { WatchNews } from './watch/watch-news.tsx'

const OrderPage = lazy(async () => (await import('./order/order-page.tsx')).OrderPage)
const FindPage = lazy(async () => (await import('./find/find-page.tsx')).FindPage)
const MarketPage = lazy(async () => (await import('./market/market-page.tsx')).MarketPage)
const SellPage = lazy(async () => (await import('./sell/sell-page.tsx')).SellPage)
const PairingPages = lazy(async () => (await import('./pairing/pages.tsx')).PairingPages)
const CirclesPage = lazy(async () => (await import('./circles/circles-page.tsx')).CirclesPage)
const OperationsPage = lazy(
  async () => (await import('./operations/operations-page.tsx')).OperationsPage,
)
const DevnetPage = lazy(async () => (await import('./devnet/devnet-page.tsx')).DevnetPage)

/** Every page: the navigation, the page itself, and the service's status. */
export function App() {
  const isDevnet = useIsDevnet()
  const main = useRef<HTMLElement>(null)
  useArrival(main)
  useSlash()
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link href="/" class="brand">
          <Mark />
          PSBT Market
        </Link>
        <Menu>
          <NavLink href="/" below={BOOK}>
            Book
          </NavLink>
          <NavLink href="/console/sell" below="/console/sell/*?">
            Sell
          </NavLink>
          <NavLink href="/console/market">Statistics</NavLink>
          <NavLink href="/console/find">
            Find <kbd>/</kbd>
          </NavLink>
          <Divider />
          <NavLink href="/console/pairing" below="/console/pairing/*?">
            Pairing
          </NavLink>
          <NavLink href="/console/circles">Circles</NavLink>
          <Divider />
          <a href="/guide/">Guide</a>
          <a href="/docs">API</a>
          <Divider />
          <NavLink href="/console/operations">Operations</NavLink>
          {/* Last: it is known a moment later, and must move nothing. */}
          {isDevnet && <NavLink href="/console/devnet">Devnet</NavLink>}
        </Menu>
        <NetworkBadge />
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <Boundary>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/" component={BookPage} />
              <Route path="/console" component={BookPage} />
              <Route path="/console/orders/:id">{({ id }) => <OrderPage key={id} id={id} />}</Route>
              <Route path="/console/find" component={FindPage} />
              <Route path="/console/market" component={MarketPage} />
              <Route path="/console/sell/:section?">
                {({ section }) => <SellPage section={section} />}
              </Route>
              <Route path="/console/pairing/*?" component={PairingPages} />
              <Route path="/console/circles" component={CirclesPage} />
              <Route path="/console/operations" component={OperationsPage} />
              <Route path="/console/devnet" component={DevnetPage} />
              <Route component={NoSuchPage} />
            </Switch>
          </Suspense>
        </Boundary>
      </main>
      <PageNews />
      <WatchNews />
      <Footer />
    </>
  )
}

function NoSuchPage() {
  usePageTitle('No such page')
  return (
    <>
      <h1>No such page</h1>
      <p class="alone">
        <Link href="/">To the book</Link>
      </p>
    </>
  )
}

/** The book has two addresses. */
const BOOK = /^\/(?:console)?$/

/** Between the pages of traders, of who verifies, of readers and of operators. */
const Divider = () => <span class="divider" aria-hidden="true" />

interface NavTarget {
  href: string
  /** What else counts as being on that page. */
  below?: string | RegExp
  children: ComponentChildren
}

function NavLink({ href, below = href, children }: NavTarget) {
  const [isHere] = useRoute(below)
  return (
    <Link href={href} aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  )
}
