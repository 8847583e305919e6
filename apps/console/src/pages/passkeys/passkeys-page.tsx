import { useQuery } from '@tanstack/preact-query'
import { listPasskeys, type Passkey } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { canUsePasskeysHere } from '../../session/owner-session.ts'
import { waysIn } from '../../session/start-session.ts'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Row } from '../../ui/row.tsx'
import { type Ask, useDialog } from '../../ui/use-dialog.tsx'
import { CommandButton } from '../resource/command-button.tsx'
import { deletionForm, newCodeForm, newPasskeyForm, passkeysKey, renameForm } from './passkey-forms.ts'

/** For sessions of the owner only. */
export default function PasskeysPage() {
  const { app, owner: t } = text.value
  const { dialog, ask } = useDialog()
  const query = useQuery({
    queryKey: passkeysKey,
    queryFn: ({ signal }) => listPasskeys(client(), {}, { signal }),
  })
  return (
    <>
      <PageHead title={t.passkeysTitle} lead={t.passkeysLead}>
        {canUsePasskeysHere() && (
          <CommandButton look="main" keys="n" label={t.addPasskey} run={() => ask(newPasskeyForm())} />
        )}
      </PageHead>
      {!canUsePasskeysHere() && <p class="hint">{t.passkeysElsewhere(waysIn.passkeyOrigin)}</p>}
      <Loaded query={query}>
        {({ passkeys, recoveryCodeCreatedAt }) => (
          <>
            <Passkeys passkeys={passkeys} ask={ask} />
            <section class="section">
              <h2>{t.recoveryCode}</h2>
              <p class="hint">{t.codeHint}</p>
              <Facts facts={[[app.created, dateTime(recoveryCodeCreatedAt)]]} />
              <p>
                <Button onClick={() => ask(newCodeForm())} text={t.replaceCode} />
              </p>
            </section>
          </>
        )}
      </Loaded>
      {dialog}
    </>
  )
}

function Passkeys({ passkeys, ask }: { passkeys: readonly Passkey[]; ask: Ask }) {
  const { app, keys, owner: t } = text.value
  if (passkeys.length === 0) return <Empty title={t.noPasskeys} text={t.noPasskeysText} />
  return (
    <ul class="rows" aria-label={t.passkeysTitle}>
      {passkeys.map((passkey) => (
        <Row
          key={passkey.id}
          title={<bdi>{passkey.name}</bdi>}
          facts={[
            [app.created, dateTime(passkey.createdAt)],
            [keys.lastUsed, passkey.lastUsedAt === null ? app.never : dateTime(passkey.lastUsedAt)],
          ]}
          actions={[
            { label: t.renamePasskey, of: passkey.name, run: () => ask(renameForm(passkey)) },
            { label: t.deletePasskey, of: passkey.name, run: () => ask(deletionForm(passkey)) },
          ]}
        />
      ))}
    </ul>
  )
}
