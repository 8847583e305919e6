import { useState } from 'preact/hooks'
import { leaveToSignIn } from '../../session/authorization.ts'
import { type IdentityProvider, UntrustedAnswer } from '../../session/provider.ts'
import { ended } from '../../session/session.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'

interface ProviderButtonProps {
  provider: IdentityProvider
  /** A relative address cannot lead to another origin. */
  returnTo: string
}

export function ProviderButton({ provider, returnTo }: ProviderButtonProps) {
  const t = text.value.signIn
  const [isBusy, setBusy] = useState(false)
  const leave = async () => {
    setBusy(true)
    ended.value = null
    try {
      await leaveToSignIn(provider, returnTo)
    } catch (error) {
      ended.value = error instanceof UntrustedAnswer ? 'untrusted' : 'failed'
      setBusy(false)
    }
  }
  return (
    <section class="card">
      <Button look="main" busy={isBusy} onClick={() => void leave()} text={t.title} />
      <p class="hint">{t.providerAt(new URL(provider.issuer).host)}</p>
    </section>
  )
}
