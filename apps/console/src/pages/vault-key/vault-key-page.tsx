import './vault-key.css'
import { useQuery } from '@tanstack/preact-query'
import { readVault, type Vault } from '@tideport/sdk'
import { useEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { client } from '../../api/client.ts'
import { readKeyFile } from '../../kept/key-files.ts'
import { isPrivateVault } from '../../kept/private-vaults.ts'
import { showIfUnsaved } from '../../private/unsaved-key.ts'
import { findProof, unlocked } from '../../private/vault-lock.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import type { PageProps } from '../page-props.ts'
import { CreateKey } from './create-key.tsx'
import { OpenVault } from './open-vault.tsx'
import { UnlockForm } from './unlock-form.tsx'

export default function VaultKeyPage({ params: { vaultId = '' } }: PageProps) {
  const t = text.value.privacy
  const query = useQuery({
    queryKey: ['vault', vaultId, 'key'],
    queryFn: async ({ signal }) => {
      const vault = await readVault(client(), { vaultId }, { signal })
      return { vault, hasKey: (await findProof(vaultId, vault.keyId)) !== null }
    },
  })
  return (
    <Loaded query={query} isPage>
      {({ vault, hasKey }) => (
        <>
          <PageHead title={t.title(isolated(vault.name))} lead={t.lead}>
            <Link class="button" href={`/vaults/${vault.id}`}>
              {t.toFiles}
            </Link>
          </PageHead>
          <Key vault={vault} hasKey={hasKey} />
        </>
      )}
    </Loaded>
  )
}

function Key({ vault, hasKey }: { vault: Vault; hasKey: boolean }) {
  const t = text.value.privacy
  const known = readKeyFile(vault.id)
  const isOpen = unlocked.value.has(vault.id)
  useKeptFocus(isOpen ? 'open' : 'closed')
  // Also applies to a vault that is locked after a reload.
  useEffect(() => showIfUnsaved(vault), [vault, isOpen])
  if (vault.visibility !== 'private') {
    // Encrypted files stay encrypted, whatever the service reports.
    return <Empty title={t.notPrivate} text={isPrivateVault(vault.id) ? t.notPrivateAnyMore : t.notPrivateText} />
  }
  if (!globalThis.isSecureContext) return <Empty title={t.insecure} text={t.insecureText} />
  if (isOpen) return <OpenVault vault={vault} />
  if (known !== null || hasKey) return <UnlockForm vaultId={vault.id} />
  return <CreateKey vault={vault} />
}

/** When the focused part of the page is replaced, the focus moves to the main element. */
function useKeptFocus(shown: string): void {
  const before = useRef(shown)
  useEffect(() => {
    if (before.current === shown) return
    before.current = shown
    if (document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true })
  }, [shown])
}
