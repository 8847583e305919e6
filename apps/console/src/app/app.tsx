import { QueryClientProvider } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
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
  const [isCopied, setCopied] = useState(false)
  const [isWarned, setWarned] = useState(false)
  const leave = (mayForget: boolean) => (mayForget ? forgetSecret(shown) : setWarned(true))
  const close = () => leave(isCopied || isWarned)
  useAskBeforeUnload(!isCopied)
  return (
    // Going back may have meant the dialog, so it stays open.
    <Dialog title={title} onClose={close} onLeft={() => leave(isCopied)}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <CopyField label={label} value={secret} onCopied={() => setCopied(true)} />
      <p class="form-error" role="alert">
        {isWarned && !isCopied ? text.value.lists.notCopied : ''}
      </p>
      <div class="form-end">
        <Button onClick={close} text={text.value.app.close} />
      </div>
    </Dialog>
  )
}
