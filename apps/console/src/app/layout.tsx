import { Component, type ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Route, Switch, useLocation } from 'wouter-preact'
import { CommandPalette } from '../commands/command-palette.tsx'
import { KeySheet } from '../commands/key-sheet.tsx'
import { JobsTray } from '../jobs/jobs-tray.tsx'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { NotFound } from '../ui/loaded.tsx'
import { TakenDialog } from '../uploads/taken-dialog.tsx'
import { endUploads } from '../uploads/uploads.ts'
import { UploadsTray } from '../uploads/uploads-tray.tsx'
import { useGlobalCommands } from './global-commands.ts'
import { Navigation } from './navigation.tsx'
import { PageView } from './page-view.tsx'
import { pages } from './pages.ts'
import { preloadOthers } from './preload-page.ts'
import { UnsavedKeyDialog } from './unsaved-key-dialog.tsx'

export function Layout() {
  const t = text.value.app
  const [isMenuOpen, setMenuOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const [location] = useLocation()
  useGlobalCommands()
  // The next user must not continue this user's uploads.
  useEffect(() => endUploads, [])
  useEffect(preloadOthers, [])
  useFocusOnNavigation(main, location)
  // On small screens the menu covers the page.
  useEffect(() => setMenuOpen(false), [location])
  return (
    <div class="layout" data-menu={isMenuOpen ? 'open' : 'closed'}>
      <Button class="skip-link" onClick={() => main.current?.focus()} text={t.skip} />
      <Navigation isMenuOpen={isMenuOpen} toggleMenu={() => setMenuOpen(!isMenuOpen)} />
      <main ref={main} tabIndex={-1}>
        <ErrorBoundary key={location}>
          <Switch>
            {pages.map((page) => (
              <Route key={page.path} path={page.path}>
                {(params) => <PageView page={page} params={params} />}
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </ErrorBoundary>
      </main>
      <div class="trays">
        <JobsTray />
        <UploadsTray />
      </div>
      <TakenDialog />
      <UnsavedKeyDialog />
      <CommandPalette />
      <KeySheet />
    </div>
  )
}

/** The clicked link may have been removed. */
function useFocusOnNavigation(main: { current: HTMLElement | null }, location: string): void {
  const before = useRef(location)
  useEffect(() => {
    if (before.current === location) return
    before.current = location
    main.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [location, main])
}

class ErrorBoundary extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false }

  static override getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: unknown) {
    console.error(error)
  }

  override render() {
    if (!this.state.failed) return this.props.children
    const t = text.value.app
    return (
      <Empty title={t.failedTitle} text={t.failedText}>
        <Button onClick={() => this.setState({ failed: false })} text={t.retry} />
      </Empty>
    )
  }
}
