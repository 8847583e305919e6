import { bytes } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Listing } from '../../ui/listing.tsx'
import { Measure } from '../../ui/measure.tsx'
import { Row } from '../../ui/row.tsx'
import { useVaults } from '../vaults/vault-queries.ts'
import { VaultHistory } from './vault-history.tsx'

/** What is in each vault. */
export function VaultUsage({ storageBytes, span }: { storageBytes: number; span: number }) {
  const t = text.value
  return (
    <section class="section">
      <h2>{t.usage.perVault}</h2>
      <Listing label={t.usage.perVault} pages={useVaults()} empty={{ title: t.vaults.empty, text: t.vaults.emptyText }}>
        {(vault) => (
          <Row key={vault.id} title={<bdi>{vault.name}</bdi>}>
            <Measure label={t.usage.shareOf(vault.name)} value={vault.storageBytes} max={storageBytes}>
              {`${t.vaults.count(vault.fileCount)} · ${bytes(vault.storageBytes)}`}
            </Measure>
            <VaultHistory vault={vault} span={span} />
          </Row>
        )}
      </Listing>
    </section>
  )
}
