import { QueryClientProvider } from '@tanstack/preact-query'
import { render } from 'preact'
import { queryClient } from './api/market.ts'
import { App } from './app.tsx'
import { applyTheme } from './ui/shell/theme.ts'
import './styles/base.css'
import './styles/book.css'
import './styles/lists.css'
import './styles/content.css'
import './styles/order.css'
import './styles/pages.css'
import './styles/touch.css'
import './styles/menu.css'

applyTheme()
const place = document.getElementById('app')
if (place) {
  render(
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>,
    place,
  )
}
