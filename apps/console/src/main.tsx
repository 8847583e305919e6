import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/widgets.css'
import './styles/lists.css'
import './styles/grid.css'
import { render } from 'preact'
import { App } from './app/app.tsx'
import { preloadPage } from './app/preload-page.ts'
import { showUnseen } from './app/show-unseen.ts'
import { followTheme } from './app/theme.ts'
import { readKept } from './session/session.ts'
import { startSession } from './session/start-session.ts'
import { loadLanguage } from './text/text.ts'

followTheme()
showUnseen()
if (readKept() !== null) preloadPage()
await Promise.all([loadLanguage(), startSession()])
render(<App />, document.querySelector('#app') as Element)
