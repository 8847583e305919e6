import type { Text } from '../en.ts'

const counted = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('de')} ${many}`

export const deFiles: Text['files'] = {
  list: 'Dateien und Ordner',
  created: 'Hinzugefügt',
  states: { uploading: 'Wird hochgeladen', hot: 'Heiß', synced: 'Gesichert', cold: 'Kalt', error: 'Fehler' },
  awaitingReview: 'Zu prüfen',
  published: (count) =>
    count === null
      ? 'Alles ist veröffentlicht'
      : counted(count, 'Eintrag ist veröffentlicht', 'Einträge sind veröffentlicht'),
  top: 'Wo Sie sind',
  search: 'Nach Namen suchen',
  filter: 'Nach einem Schlagwort oder nach Metadaten filtern',
  filterHint: 'Schlagwort, Feld=Wert',
  endFilter: (label) => `Nicht mehr nach ${label} filtern`,
  gap: 'Dazwischen gibt es mehr, das beim Blättern erscheint',
  order: 'Reihenfolge',
  ascending: 'A bis Z',
  descending: 'Z bis A',
  upload: 'Dateien hochladen',
  uploadFolder: 'Ordner hochladen',
  newFolder: 'Neuer Ordner',
  newFolderName: 'Name des Ordners',
  makeFolder: 'Ordner anlegen',
  drop: 'Dateien und Ordner hier ablegen',
  empty: 'Hier ist noch nichts',
  emptyText: 'Legen Sie Dateien oder Ordner hier ab, oder wählen Sie welche aus.',
  emptyLockedText: 'Öffnen Sie den Tresor, um Dateien hier abzulegen.',
  noneFound: 'Nichts passt',
  noneFoundText: 'Gesucht wurde nur in diesem Tresor.',
  privateText:
    'Dateien eines privaten Tresors werden in Ihrem Browser verschlüsselt, bevor sie hochgeladen werden. Sein Schlüssel ist hier nicht offen.',
  saidPublic:
    'Dieser Tresor ist privat, doch der Dienst meldet ihn als öffentlich. Hier wird nichts hochgeladen. Fragen Sie den Betreiber dieser Installation.',
  selected: (count) => `${count.toLocaleString('de')} ausgewählt`,
  select: (name) => `${name} auswählen`,
  selectAll: 'Alles Geladene auswählen',
  selectWhole: 'Alles in diesem Ordner auswählen',
  whole: 'Alles in diesem Ordner',
  clear: 'Auswahl aufheben',
  rename: 'Umbenennen',
  renameTitle: (name) => `${name} umbenennen`,
  move: 'Verschieben',
  copy: 'Kopieren',
  moveTitle: (count) =>
    `${count === null ? 'Alles in diesem Ordner' : counted(count, 'Eintrag', 'Einträge')} verschieben`,
  copyTitle: (count) => `${count === null ? 'Alles in diesem Ordner' : counted(count, 'Eintrag', 'Einträge')} kopieren`,
  to: 'In welchen Ordner',
  toHint: 'Ordner werden durch / getrennt. Leer: oben in den Tresor.',
  delete: 'Endgültig löschen',
  restore: 'Wiederherstellen',
  trashed: (count) =>
    count === null
      ? 'Alles liegt im Papierkorb'
      : counted(count, 'Eintrag liegt im Papierkorb', 'Einträge liegen im Papierkorb'),
  restored: (count) =>
    count === null ? 'Alles ist wieder da' : counted(count, 'Eintrag ist wieder da', 'Einträge sind wieder da'),
  deleted: (count) =>
    count === null ? 'Alles ist gelöscht' : counted(count, 'Eintrag ist gelöscht', 'Einträge sind gelöscht'),
  moved: (count) =>
    count === null ? 'Alles ist verschoben' : counted(count, 'Eintrag ist verschoben', 'Einträge sind verschoben'),
  movedBack: (count) =>
    count === null
      ? 'Alles ist wieder, wo es war'
      : counted(count, 'Eintrag ist wieder, wo er war', 'Einträge sind wieder, wo sie waren'),
  copied: (count) =>
    count === null ? 'Alles ist kopiert' : counted(count, 'Eintrag ist kopiert', 'Einträge sind kopiert'),
  renamed: (name) => `Der Name ist jetzt ${name}`,
  leftAsTheyWere: (count) =>
    counted(count, 'Datei musste bleiben, wie sie war', 'Dateien mussten bleiben, wie sie waren'),
  tooMany: (most) => `Das sind mehr als ${most} Dateien. Für so viele ist die Kommandozeile da.`,
  unfinished: (count) => counted(count, 'Upload wurde unterbrochen', 'Uploads wurden unterbrochen'),
  unfinishedText: 'Wählen Sie dieselben Dateien noch einmal, und sie gehen weiter, wo sie waren.',
  unfinishedHere:
    'Es geht weiter, wo es aufhörte. Vielleicht fragt der Browser, ob die Dateien wieder gelesen werden dürfen.',
  goOn: 'Weitermachen',
  forgetUnfinished: 'Vergessen',
  trashLead: 'Was hier liegt, können Sie zurückholen, bis es endgültig entfernt wird.',
  trashEmpty: 'Der Papierkorb ist leer',
  trashEmptyText: 'Was Sie löschen, kommt zuerst hierher.',
  removedOn: 'Entfernt am',
  emptyTrash: 'Papierkorb leeren',
  emptyTrashText: 'Alles darin wird endgültig entfernt. Nichts bringt es zurück.',
  deleteText: 'Sie werden endgültig entfernt. Nichts bringt sie zurück.',
  emptied: 'Der Papierkorb ist jetzt leer',
}
