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
import { startSession } from './session/start-session.ts'
import { loadLanguage } from './text/text.ts'

followTheme()
showUnseen()
await Promise.all([loadLanguage(), startSession().then(preloadPage)])
render(<App />, document.querySelector('#app') as Element)
