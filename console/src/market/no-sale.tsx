import { Link } from 'wouter-preact'

export const NoSale = () => (
  <>
    No sale in this time. <Link href="/">See what is for sale</Link>
  </>
)
