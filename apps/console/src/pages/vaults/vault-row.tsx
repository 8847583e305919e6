import type { Vault } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { bytes, date } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'

interface VaultRowProps {
  vault: Vault
  onEdit: () => void
  onTrash: () => void
}

export function VaultRow({ vault, onEdit, onTrash }: VaultRowProps) {
  const t = text.value.vaults
  return (
    <li class="card vault">
      <div class="vault-text">
        <h2>
          <Link href={`/vaults/${vault.id}`}>{vault.name}</Link>
        </h2>
        {vault.description !== '' && <p>{vault.description}</p>}
        <p class="hint">
          <span class={`badge badge-${vault.visibility}`}>{t[vault.visibility]}</span>
          {vault.isDefault && <span class="badge">{t.default}</span>}
          {t.count(vault.fileCount)} · {bytes(vault.storageBytes)} · {date(vault.createdAt)}
        </p>
      </div>
      <div class="vault-actions">
        {vault.visibility === 'private' && (
          <Link class="button" href={`/vaults/${vault.id}/key`} aria-label={`${t.key}: ${vault.name}`}>
            {t.key}
          </Link>
        )}
        <Button label={`${t.edit}: ${vault.name}`} onClick={onEdit}>
          {t.edit}
        </Button>
        {!vault.isDefault && (
          <Button label={`${t.remove}: ${vault.name}`} onClick={onTrash}>
            {t.remove}
          </Button>
        )}
      </div>
    </li>
  )
}
