package search

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

// A language has a stemmer, and stop words, which are too common to find anything. Stop words are written as [Terms] folds them.
type language struct {
	stem      func(*snowballstem.Env) bool
	stopWords string
}

// languages are the recognized languages. In a set of languages, bit i is languages[i]: English is bit 0.
var languages = [...]language{
	{english.Stem, `
		a about above after again against all also am an and any anybody anyone anything are aren as at be because been before being below
		between both but by can cannot could couldn did didn do does doesn doing don done down during each earliest else ever few for from
		further get give go got had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is
		isn it its itself just know last latest let like ll m many maybe me might mine more most much must my myself newest no nor not
		of off oldest on once one only or other our ours ourselves out over own please re recent recently s said same say says she should
		shouldn show since so some somebody someone something such t talked tell than that the their theirs them themselves then there these
		they thing things this those though through to too under until up upon us ve very was wasn we went were weren what whats when where
		which while who whom whose why will with within without won would wouldn yes yet you your yours yourself`},
	{german.Stem, `
		aber alle allem allen aller alles als also alteste altesten altester altestes am an ander andere anderem anderen anderer anderes
		auch auf aus bei beim bin bis bist da damit dann das dass dasselbe dazu dein deine deinem deinen deiner dem den denn der derer des
		dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige er es etwas euch
		euer eure fur gab gegen gewesen gibt hab habe haben hast hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren
		ihrer im in indem ins ist ja jede jedem jeden jeder jedes jemals jene jetzt kann kein keine keinem keinen keiner kommen kommt
		konnen konnte letzte letzten letzter letztes man manche mein meine meinem meinen meiner meines mich mir mit muss musste nach neueste neuesten
		neuester neuestes nicht nichts noch nun nur ob oder ohne schon sehr sein seit seine seinem seinen seiner sich sie sind so solche soll
		sollte sondern sonst uber um und uns unser unsere unter viel viele vom von vor wahrend wann war waren warst warum was weil weiter
		welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder wieviel will wir wird wo wollen wollte
		wurde wurden zu zuletzt zum zur zwar zwischen`},
	{french.Stem, `
		a ai ait alors as au aucun aussi autre aux avait avec avez avoir avons c ca car ce cela ces cet cette ceux chez combien comme comment d
		dans de depuis dernier derniere dernieres derniers des deux donc du elle elles en encore est et etaient etait etant ete etre eu
		eux faire fait il ils j jamais je l la le les leur leurs lui ma mais me meme mes moi mon n ne nos notre nous on ont ou par parce
		pas peu plus pour pourquoi qu quand que quel quelle quelles quels qui quoi recent recente recentes recents s sa sans se ses si son
		sont sous suis sur t ta te tes toi ton tous tout toute toutes tu un une vers vos votre vous y`},
	{spanish.Stem, `
		a al algo algun alguna ante antes aquel asi aun aunque cada como con contra cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde dos
		e el ella ellas ellos en entre era eran es esa ese eso esta estaba estan estar este esto estos fue fueron ha habia han has hasta hay he
		la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros o os otra otro para pero poco por porque que quien quienes
		reciente recientes se sea ser si sido sin sobre son soy su sus tambien tan te tengo ti tiene todo todos tu tus ultima ultimas
		ultimo ultimos un una uno unos y ya yo`},
	{italian.Stem, `
		a ad agli ai al alla alle allo anche avere aveva c che chi ci coi col come con cosa cui da dagli dai dal dalla dalle degli dei del
		della delle dello di dopo dove e ed era erano essere fa fra gli ha hai hanno ho i il in io la le lei li lo loro lui ma me mi mia
		mie mio ne negli nei nel nella nelle no noi non nostro o ogni per perche piu poi quale quali quando quanta quante quanti quanto
		quel quella quello questa questi questo qui se sei si sia siamo sono sta stato su sua sue sugli sui sul sulla suo te ti tra tu tua tuo tutti tutto un una
		uno vi voi`},
	{portuguese.Stem, `
		a ao aos aquela aquele as ate com como da das de dela dele depois do dos e ela elas ele em entre era essa esse esta estava este eu
		foi foram ha isso isto ja la mais mas me mesmo meu meus minha muito na nao nas nem no nos nossa nosso num numa o onde os ou para
		pela pelo por porque qual quando quanta quantas quanto quantos que quem sao se sem ser seu seus so sua suas tambem te tem tinha tu tua um uma umas uns
		voce voces`},
	{dutch.Stem, `
		aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge geen geweest haar had
		heb hebben heeft hem het hier hij hoe hoeveel hun iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na
		naar niet niets nog nu of om omdat ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want
		waren was wat we werd wezen wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou`},
	{swedish.Stem, `
		alla allt att av blev bli blir da de dem den denna deras dess det detta dig din dina du dar efter ej eller en er era ett for fran
		ha hade han hans har henne hennes hon honom hur har i icke inte ingen inom ja jag kan kunde man med mellan men mig min mina mot
		mycket nar ni nu nagon nagot och om oss pa sa samma sedan sig sin sina sjalv skulle som till under upp ut utan vad var vara varfor
		vart vem vi vid vilka vilken vilket`},
	{danish.Stem, `
		ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end er et
		for fra ham han hans har havde have hende hendes her hos hun hvad hvem hvis hvor hvornar i ikke ind ja jeg jer jo kunne man mange
		med meget men mig min mine mit mod nar ned noget nogle nu og ogsa om op os over pa sadan selv sig sin skal skulle som til ud under
		var ved vi vil ville vor vaere`},
	{norwegian.Stem, `
		alle at av bare begge ble blei bli da de deg dei dem den denne der dere deres det dette di din disse du eg ei ein eller en er et
		etter for fra ha hadde han hans har hennes her hun hva hvem hvis hvor hvorfor i ikke ikkje ingen inn ja jeg kan kunne man mange
		med meg men min mitt mot na nar noe noen nok og ogsa om opp oss over pa sa selv seg sin skal skulle slik som til ut var vart ved
		vi vil ville`},
	{finnish.Stem, `
		ei eivat ehka ennen että etta han hanen he ja jo joka jos jotka kanssa koska kuin kuka kun me mika mikä milloin minun mina missa
		mita mitä mutta myos nain ne niin noin nyt oli olen olet oli olivat olla on ovat poikki se sen sina siella silla tai tama tassa te
		tuo vai vain vaikka`},
	{russian.Stem, `
		а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще же за здесь
		и из или им их к как когда кто ли либо мне может мы на надо наш не него нее нет ни них но ну о об однако он она они оно от очень
		по под при с со так также такой там те тем то того тоже той только том ты у уже хотя чего чей чем что чтобы чье эта эти это я`},
}

// stopLanguages maps a term to the set of languages in which it is a stop word. It is computed by the first search, to keep startup fast.
var stopLanguages = sync.OnceValue(func() map[string]uint32 {
	words := map[string]uint32{}
	for i, one := range languages {
		for _, t := range Terms(one.stopWords) {
			words[t.Text] |= 1 << i
		}
	}
	return words
})

// guessLanguages returns the set of languages that have the most stop words among terms, and how many: none if there are no stop words.
func guessLanguages(terms []string) (guess uint32, most int) {
	counts, stops := [len(languages)]int{}, stopLanguages()
	for _, t := range terms {
		for i, bits := 0, stops[t]; bits != 0; i, bits = i+1, bits>>1 {
			counts[i] += int(bits & 1)
		}
	}
	most = slices.Max(counts[:])
	for i, n := range counts {
		if n == most && n > 0 {
			guess |= 1 << i
		}
	}
	return guess, most
}

// ContentWords returns the words of a query without the stop words of its language, or the query if it has no others.
func ContentWords(query string) string {
	content := textsOf(words(query))
	guess, _ := guessLanguages(content)
	content = slices.DeleteFunc(content, func(word string) bool { return stopLanguages()[word]&guess != 0 })
	if len(content) == 0 {
		return query
	}
	return strings.Join(content, " ")
}

func stemOf(at int, term string) string {
	env := snowballstem.NewEnv(term)
	languages[at].stem(env)
	return env.Current()
}

// inflects reports whether a term may have other forms: numbers, short words and scripts without an alphabet do not.
func inflects(term string) bool {
	return len(term) >= 3 && !strings.ContainsFunc(term, func(r rune) bool { return r >= '0' && r <= '9' || isUnspaced(r) })
}

// sharedStart returns the prefix of all forms of a term: what it has in common with its stem in a language, without the last letter if that
// is longer than four, because some endings replace it ("happy", "happier").
func sharedStart(term, stem string) string {
	a, b := []rune(term), []rune(stem)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if n > 4 {
		n--
	}
	return string(a[:n])
}

// Articles, prepositions and conjunctions that are written together with the word after them.
var (
	arabicArticles = strings.Fields("ال و ف ب ك ل وال فال بال كال لل ولل وب ول")
	hebrewArticles = strings.Fields("ה ו ב כ ל מ ש וה שה ול וב מה כש")
)

// leastRoot is the fewest letters of a word without its article.
const leastRoot = 3

// withArticles lists the forms of an Arabic or Hebrew term with and without these articles.
func withArticles(term string) []string {
	var articles []string
	switch r, _ := utf8.DecodeRuneInString(term); {
	case unicode.Is(unicode.Arabic, r):
		articles = arabicArticles
	case unicode.Is(unicode.Hebrew, r):
		articles = hebrewArticles
	}
	var forms []string
	roots := []string{term}
	for _, article := range articles {
		if root, ok := strings.CutPrefix(term, article); ok && utf8.RuneCountInString(root) >= leastRoot {
			roots, forms = append(roots, root), append(forms, root)
		}
	}
	for _, root := range roots {
		for _, article := range articles {
			forms = append(forms, article+root)
		}
	}
	slices.Sort(forms)
	return slices.DeleteFunc(slices.Compact(forms), func(form string) bool { return form == term })
}
