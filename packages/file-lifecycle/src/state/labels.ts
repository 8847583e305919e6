/** What an owner says of a file, or has sealed. */
export interface Labels {
  metadata?: Record<string, string> | null | undefined
  tags?: readonly string[] | null | undefined
  sealedMetadata?: string | null | undefined
}

/** As JSON; of none the same as nothing. */
export function orNull(labels: Labels['metadata'] | Labels['tags']): string | null {
  return labels == null || Object.keys(labels).length === 0 ? null : JSON.stringify(labels)
}
