import { useSignal } from '@preact/signals'
import { QueryClientProvider } from '@tanstack/preact-query'
import { Router } from 'wouter-preact'
import { queryClient } from '../api/query-client.ts'
import { basePath } from '../base.ts'
import { session } from '../session/session.ts'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { forgetSecret, type ShownSecret, shownSecrets } from '../ui/shown-secrets.ts'
import { useAskBeforeUnload } from '../ui/use-ask-before-unload.ts'
import { Layout } from './layout.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { Toaster } from './toaster.tsx'

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={basePath}>
        {session.value === null ? <SignInPage /> : <Layout />}
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

/** Closing the dialog before the secret was copied takes a second try. */
function SecretDialog({ shown }: { shown: ShownSecret }) {
  const { title, label, secret, paragraphs } = shown
  const isCopied = useSignal(false)
  const isWarned = useSignal(false)
  const warn = () => {
    isWarned.value = true
  }
  const close = () => (isCopied.value || isWarned.value ? forgetSecret(shown) : warn())
  useAskBeforeUnload(!isCopied.value)
  return (
    // Going back may have meant the dialog, so it stays open.
    <Dialog title={title} onClose={close} onLeft={() => (isCopied.value ? forgetSecret(shown) : warn())}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <CopyField
        label={label}
        value={secret}
        onCopied={() => {
          isCopied.value = true
        }}
      />
      <p class="form-error" role="alert">
        {isWarned.value && !isCopied.value ? text.value.lists.notCopied : ''}
      </p>
      <div class="form-end">
        <Button onClick={close}>{text.value.app.close}</Button>
      </div>
    </Dialog>
  )
}
