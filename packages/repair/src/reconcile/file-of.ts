const REFERENCE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_\d{1,9}$/

/** Null: not a reference that Tideport created. */
export function fileOf(reference: string): string | null {
  return REFERENCE.exec(reference)?.[1] ?? null
}

/** A later copy of a file on a network has a larger number. */
export function numberOf(reference: string): number {
  return Number(reference.split('_')[1])
}
