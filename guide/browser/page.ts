import { offerSearch } from './search.ts'
import { offerTheme } from './theme.ts'

offerTheme()
offerSearch()
