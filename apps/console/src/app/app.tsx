import { QueryClientProvider } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Route, Router, Switch } from 'wouter-preact'
import { queryClient } from '../api/query-client.ts'
import { dismissToast, type Toast, toasts } from '../api/toasts.ts'
import { basePath } from '../base.ts'
import { session } from '../session/session.ts'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { forgetSecret, type SecretPart, type ShownSecret, shownSecrets } from '../ui/shown-secrets.ts'
import { useAskBeforeUnload } from '../ui/use-ask-before-unload.ts'
import { Layout } from './layout.tsx'
import { SetUpPage } from './set-up/set-up-page.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={basePath}>
        <Switch>
          <Route path="/set-up">
            <SetUpPage />
          </Route>
          <Route>{session.value === null ? <SignInPage /> : <Layout />}</Route>
        </Switch>
        <SecretDialogs />
      </Router>
      <Toaster />
    </QueryClientProvider>
  )
}

function SecretDialogs() {
  const [secret] = shownSecrets.value
  return secret === undefined ? null : <SecretDialog key={secret.secret} shown={secret} />
}

/** Closing the dialog before the secret was copied requires a second click. */
function SecretDialog({ shown }: { shown: ShownSecret }) {
  const { title, label, secret, paragraphs, more = [] } = shown
  const [isCopied, setCopied] = useState(false)
  const [isWarned, setWarned] = useState(false)
  const leave = (mayForget: boolean) => (mayForget ? forgetSecret(shown) : setWarned(true))
  const close = () => leave(isCopied || isWarned)
  useAskBeforeUnload(!isCopied)
  return (
    // The user may have gone back to close the dialog, so the dialog stays open.
    <Dialog title={title} onClose={close} onLeft={() => leave(isCopied)}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <CopyField label={label} value={secret} onCopied={() => setCopied(true)} />
      {more.map((part) => (
        <SecretPartField key={part.label} {...part} onCopied={() => setCopied(true)} />
      ))}
      <p class="form-error" role="alert">
        {isWarned && !isCopied ? text.value.lists.notCopied : ''}
      </p>
      <div class="form-end">
        <Button onClick={close} text={text.value.app.close} />
      </div>
    </Dialog>
  )
}

/** Always rendered: screen readers announce only changes of an existing live region. */
function Toaster() {
  return (
    <section class="toaster" aria-label={text.value.app.notices}>
      <ol aria-live="polite" aria-relevant="additions">
        {toasts.value.map((toast) => (
          <ToastItem key={toast.id} {...toast} />
        ))}
      </ol>
    </section>
  )
}

function ToastItem({ id, kind, message, action }: Toast) {
  const run = () => {
    dismissToast(id)
    action?.run()
  }
  return (
    <li class={`toast toast-${kind}`}>
      <span class="toast-message">{message}</span>
      {action && <Button onClick={run} text={action.label} />}
      <Button look="bare" label={text.value.app.dismiss} onClick={() => dismissToast(id)}>
        <Icon name="close" />
      </Button>
    </li>
  )
}

function SecretPartField({ label, value, isFolded, onCopied }: SecretPart & { onCopied: () => void }) {
  if (!isFolded) return <CopyField label={label} value={value} onCopied={onCopied} />
  return (
    <details class="fold">
      <summary>{label}</summary>
      <div class="fold-body">
        <CopyField label={text.value.app.configuration} value={value} onCopied={onCopied} />
      </div>
    </details>
  )
}
