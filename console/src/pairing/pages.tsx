import { Route, Switch } from 'wouter-preact'
import { ObjectPage } from './object-page.tsx'
import { PairingPage } from './pairing-page.tsx'
import { TransactionPage } from './transaction-page.tsx'

/** Every page of pairing, loaded together. */
export const PairingPages = () => (
  <Switch>
    <Route path="/console/pairing/objects/:key">
      {({ key }) => <ObjectPage key={key} objectKey={key} />}
    </Route>
    <Route path="/console/pairing/transactions/:txid">
      {({ txid }) => <TransactionPage key={txid} txid={txid} />}
    </Route>
    <Route component={PairingPage} />
  </Switch>
)
