import { Link } from 'wouter-preact'
import { shortened } from '../ui/values/identifier.tsx'

export const ObjectLink = ({ objectKey }: { objectKey: string }) => (
  <Link href={`/console/pairing/objects/${objectKey}`}>{shortened(objectKey)}</Link>
)

export const TransactionLink = ({ txid }: { txid: string }) => (
  <Link href={`/console/pairing/transactions/${txid}`}>{shortened(txid)}</Link>
)
