/** Binds a webhook's secret to its row, so that a sealed secret copied to another row does not open. */
export function secretOwner({ accountId, webhookId }: { accountId: string; webhookId: string }): string {
  return `webhook-secret/${accountId}/${webhookId}`
}
