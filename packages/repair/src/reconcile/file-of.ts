const REFERENCE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_\d{1,9}$/

/** The file whose copy a reference on a network names; null: it is not one of our references. */
export function fileOf(reference: string): string | null {
  return REFERENCE.exec(reference)?.[1] ?? null
}

/** Which of a file's copies on one network it is: a later one has a larger number. */
export function numberOf(reference: string): number {
  return Number(reference.split('_')[1])
}
