// The licence of the program, word by word. Imported only when somebody wants to read it.
import licence from '../../../../LICENSE?raw'

export { licence }
