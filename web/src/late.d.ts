/** Parts of the workbench that are loaded late have no names, only effects. */
declare module '*?late'
