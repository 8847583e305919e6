import { useEffect } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { commands, palette, sheet, useCommands } from '../commands/commands.ts'
import { text } from '../text/text.ts'
import { useNavigablePages } from './pages.ts'
import { signOut } from './sign-out.ts'

export function useGlobalCommands(): void {
  const t = text.value
  const [, navigate] = useLocation()
  const toPages = useNavigablePages().map(({ path, nav }) => ({
    label: t.commands.goTo(t.nav[nav]),
    run: () => navigate(path),
    isGlobal: true as const,
  }))
  useCommands([
    ...toPages,
    { label: t.commands.keys, key: '?', run: sheet.open, isGlobal: true },
    { label: t.signIn.out, run: () => void signOut(), isGlobal: true },
  ])
  useEffect(() => {
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
    // The browser's own Ctrl K would leave a dialog.
    event.preventDefault()
    if (!isModal()) palette.open()
    return
  }
  if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isModal()) return
  const found = commands.value.find(({ key }) => key === event.key)
  if (found === undefined) return
  event.preventDefault()
  found.run()
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

const isModal = (): boolean => document.querySelector('dialog[open]') !== null
