import type { Text } from '../en.ts'
import { counted } from './counted.ts'

export const deVaults: Text['vaults'] = {
  lead: 'Ein Tresor enthält Dateien und Ordner. Was in einem öffentlichen liegt, kann jeder lesen, der die Adresse kennt; ein privater enthält Dateien, die verschlüsselt wurden, bevor sie Ihr Gerät verließen.',
  create: 'Neuer Tresor',
  description: 'Beschreibung',
  visibility: 'Wer ihn lesen kann',
  visibilityHint: 'Das lässt sich später nicht ändern.',
  public: 'Öffentlich',
  publicHint: 'Wer die Adresse einer Datei kennt, kann sie lesen.',
  private: 'Privat',
  privateHint: 'Dateien werden auf Ihrem Gerät verschlüsselt. Ohne Ihren Schlüssel kann sie niemand lesen.',
  count: (files) => counted(files, 'Datei', 'Dateien'),
  default: 'Standard',
  empty: 'Noch keine Tresore',
  emptyText: 'Legen Sie einen an, um Dateien hineinzulegen.',
  key: 'Schlüssel',
  editTitle: (name) => `${name} bearbeiten`,
  removeText: (files) => `Mit ihm: ${files}. Sie können alles zurückholen, bis der Papierkorb geleert wird.`,
}
