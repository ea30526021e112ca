import { createHash } from 'node:crypto'
import { trustedHtml } from './html.ts'

/**
 * The only script of the pages: shows all times in the time zone of the visitor, who switches and is remembered. Without it a page
 * has the times of its own zone and no button.
 */
const script = `(()=>{
const button=document.getElementById('local-time'),zone=document.getElementById('zone');
if(!button||!zone)return;
const format=new Intl.DateTimeFormat(document.documentElement.lang,{dateStyle:'medium',timeStyle:'short'});
const here=format.resolvedOptions().timeZone,{local,page,shown,pageZone}=button.dataset;
if(here===pageZone)return;
const times=[...document.querySelectorAll('time[datetime]')],texts=times.map(e=>e.textContent),zoneText=zone.textContent;
const show=isLocal=>{
times.forEach((e,i)=>{const at=new Date(e.dateTime),to=e.dataset.to;e.textContent=!isLocal?texts[i]:to?format.formatRange(at,new Date(to)):format.format(at)});
zone.textContent=isLocal?shown.replace('{zone}',here):zoneText;
button.textContent=isLocal?page:local};
let isLocal=false;
try{isLocal=localStorage.getItem('pharos-local-time')==='1'}catch{}
button.hidden=false;
show(isLocal);
button.addEventListener('click',()=>{isLocal=!isLocal;try{localStorage.setItem('pharos-local-time',isLocal?'1':'0')}catch{}show(isLocal)});
})()`

/** For the content security policy, which allows no other script. */
export const localTimeScriptHash = `sha256-${createHash('sha256').update(script).digest('base64')}`

export const localTimeScript = trustedHtml(`<script>${script}</script>`)
