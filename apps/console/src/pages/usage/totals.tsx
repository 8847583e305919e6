import type { Account } from '@tideport/sdk'
import { bytes, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Facts } from '../../ui/facts.tsx'
import { Measure } from '../../ui/measure.tsx'

export function Totals({ account: { usage, limits } }: { account: Account }) {
  const t = text.value.usage
  const { storageBytes, hotBytes, fileCount, vaultCount } = usage
  const { quotaBytes, maxFileBytes, maxPutBytes, openUploadsMax } = limits
  return (
    <section class="card">
      <h2>{t.all}</h2>
      {quotaBytes !== null && (
        <Measure label={t.quota} value={storageBytes} max={quotaBytes}>
          {t.of(bytes(storageBytes), bytes(quotaBytes))}
        </Measure>
      )}
      <Facts
        facts={[
          [t.stored, bytes(storageBytes)],
          [t.hot, bytes(hotBytes)],
          [t.files, number(fileCount)],
          [t.vaults, number(vaultCount)],
          [t.quota, quotaBytes === null ? t.noQuota : bytes(quotaBytes)],
          [t.maxFile, bytes(maxFileBytes)],
          [t.maxPut, bytes(maxPutBytes)],
          [t.openUploads, number(openUploadsMax)],
        ]}
      />
      <p class="hint">{t.withTrash}</p>
    </section>
  )
}
