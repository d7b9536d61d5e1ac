package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shownStreams returns the streams with their records as rows of cells, and the reports about the files.
func shownStreams(t *testing.T, files map[string]string) string {
	t.Helper()
	records, _ := loadedTree(t, files)
	var shown strings.Builder
	for _, name := range slices.Sorted(maps.Keys(records)) {
		fmt.Fprintf(&shown, "%s:", name)
		for _, record := range records[name] {
			var cells []string
			for _, field := range slices.Sorted(maps.Keys(record)) {
				cells = append(cells, fmt.Sprintf("%s=%v", field, record[field]))
			}
			fmt.Fprintf(&shown, " [%s]", strings.Join(cells, " "))
		}
		shown.WriteString("\n")
	}
	return shown.String()
}

// asSheet writes lines of cells as rows of a sheet, omitting rows without cells.
func asSheet(t *testing.T, lines string) string {
	var rows strings.Builder
	for at, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		if line == "" {
			continue
		}
		fmt.Fprintf(&rows, `<row r="%d">`, at+1)
		for column, cell := range strings.Split(line, ",") {
			if cell != "" {
				fmt.Fprintf(&rows, `<c r="%c%d" t="str"><v>%s</v></c>`, 'A'+column, at+1, cell)
			}
		}
		rows.WriteString("</row>")
	}
	return sheetOf(t, rows.String())
}

func TestTablesOneBelowTheOther(t *testing.T) {
	const body, steps = "Body\nDate,Weight,Fat\n2025-03-03,68,1\n", "Activities\nDate,Steps,Floors,Sitting\n2025-03-01,17,9,5\n2025-03-02,3,1,6\n"
	const power, gas = "Month,Power\nJan,100\nFeb,120\n", "Month,Gas\nJan,40\nFeb,45\n"
	const powers, gases = "t: [Month=Jan Power=100] [Month=Feb Power=120]\n", "t_table_2: [Gas=40 Month=Jan] [Gas=45 Month=Feb]\n"
	const parts = "t_Activities: [Date=2025-03-01 Floors=9 Sitting=5 Steps=17] [Date=2025-03-02 Floors=1 Sitting=6 Steps=3]\nt_Body: [Date=2025-03-03 Fat=1 Weight=68]\n"
	for _, test := range []struct{ name, text, want string }{
		{"titles", body + "\n" + steps, parts},
		{"titles without an empty line", body + steps, parts},
		{"titles with one below", strings.ReplaceAll(body+"\n"+steps, "s\n", "s\n\n"), parts},
		{"a table without rows", body + "\n" + steps + "\nSleep\nStart,End,Asleep,Awake\n", parts},
		{"a table of texts", body + "\n" + steps + "\nFriends\nName,Town,Since\nAnn,Rome,May\nBob,Paris,June\n", "" +
			parts + "t_Friends: [Name=Ann Since=May Town=Rome] [Name=Bob Since=June Town=Paris]\n"},
		{"headers", power + "\n" + gas, powers + gases},
		{"headers without an empty line", power + gas, powers + gases},
		{"three of days", "Day,Power\n2025-01-01,1\n2025-02-01,2\nDay,Gas\n2025-01-01,3\nDay,Water,Price\n2025-01-01,4,5\n", "t: [Day=2025-01-01 Power=1] [Day=2025-02-01 Power=2]\n" +
			"t_table_2: [Day=2025-01-01 Gas=3]\nt_table_3: [Day=2025-01-01 Price=5 Water=4]\n"},
		{"answers", "Question,Answer\nHow old?,40\n\nWhere?,Rome\nWhen?,2025\n", "t: [Answer=40 Question=How old?] [Answer=Rome Question=Where?] [Answer=2025 Question=When?]\n"},
		{"a table that continues", power + "\n" + gas + "\nMonth,Power\nMar,90\n", strings.TrimSuffix(powers, "\n") + " [Month=Mar Power=90]\n" + gases},
		{"tables in turn", steps + body + "Date,Steps,Floors,Sitting\n2025-03-09,4,2,7\n", strings.Replace(parts, "\n", " [Date=2025-03-09 Floors=2 Sitting=7 Steps=4]\n", 1)},
		{"the same columns", "January\nDay,Shop,Sum\n1,a,2\n2,b,3\n\nFebruary\nDay,Shop,Sum\n1,c,4\n", "t: [Day=1 Shop=a Sum=2] [Day=2 Shop=b Sum=3] [Day=1 Shop=c Sum=4]\n" +
			"t_around: [line=1 place=above the header text=January] [line=6 place=below the table text=February]\n"},
		{"lines above the second table", "Month,Power,Price\nJan,1,2\nFeb,3,4\n\nMeter,K\nPlace,Cellar\n\nDate,Gas,Rate,Note\n2025-01-01,4,1,x\n2025-02-01,5,1,y\n", "" +
			"t: [Month=Jan Power=1 Price=2] [Month=Feb Power=3 Price=4]\nt_table_2: [Date=2025-01-01 Gas=4 Note=x Rate=1] [Date=2025-02-01 Gas=5 Note=y Rate=1]\n" +
			"t_table_2_around: [line=5 place=above the header text=Meter K] [line=6 place=above the header text=Place Cellar]\n"},
		{"a text like another table", "Day,Shop,Note\n1,a,\"Body\n\nDate,Weight,Fat\n2,68,1\"\n2,b,c\n", "t: [Day=1 Note=Body\n\nDate,Weight,Fat\n2,68,1 Shop=a] [Day=2 Note=c Shop=b]\n"},
		{"empty lines between texts", "Name,Town\nAnn,Rome\n\nBob,Paris\nCid,10115\n\nDee,Bonn\n", "t: [Name=Ann Town=Rome] [Name=Bob Town=Paris] [Name=Cid Town=10115] [Name=Dee Town=Bonn]\n"},
		{"a row without its number", "Name,Points,Team\nAnn,3,Red\n\nCid,n/a,Red\nDee,5,Red\n\nEve,,Blue\nFay,6,Blue\n", "t: [Name=Ann Points=3 Team=Red] " +
			"[Name=Cid Points=<nil> Team=Red] [Name=Dee Points=5 Team=Red] [Name=Eve Points=<nil> Team=Blue] [Name=Fay Points=6 Team=Blue]\n"},
		{"a row that starts like the header", "Item,Price,Note\nLamp,5,x\nItem box,,free\nCup,2,y\n", "t: [Item=Lamp Note=x Price=5] [Item=Item box Note=free Price=<nil>] " +
			"[Item=Cup Note=y Price=2]\n"},
		{"groups without a last cell", "Name,Town,Job,Note\nAnn,Rome,cook,x\n\nFamily\nCid,Bonn,baker\nDee,Ulm,tailor\n", "t: [Job=cook Name=Ann Note=x Town=Rome] " +
			"[Job=<nil> Name=Family Note=<nil> Town=<nil>] [Job=baker Name=Cid Note=<nil> Town=Bonn] [Job=tailor Name=Dee Note=<nil> Town=Ulm]\n"},
		{"groups of rows", "Name,Town,Age\n\nFriends\nAnn,Rome,1\nBob,Paris,2\n\nFamily\nCid,Bonn,3\nDee,Ulm,4\n", "t: [Age=<nil> Name=Friends Town=<nil>] [Age=1 Name=Ann Town=Rome] " +
			"[Age=2 Name=Bob Town=Paris] [Age=<nil> Name=Family Town=<nil>] [Age=3 Name=Cid Town=Bonn] [Age=4 Name=Dee Town=Ulm]\n"},
	} {
		for ending, write := range map[string]func(*testing.T, string) string{
			".csv": func(_ *testing.T, text string) string { return text }, ".xlsx": asSheet,
		} {
			if strings.Contains(test.text, `"`) && ending == ".xlsx" {
				continue
			}
			t.Run(test.name+ending, func(t *testing.T) {
				if diff := cmp.Diff(test.want, shownStreams(t, map[string]string{"t" + ending: write(t, test.text)})); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		}
	}
}

// Rows of a sheet end at their last cell, and lines above its header may be labels beside values.
func TestTheHeaderOfASheet(t *testing.T) {
	const rows = "Day,Count,Note\n2025-01-01,1\n2025-02-01,2\n"
	const records = "t: [Count=1 Day=2025-01-01 Note=<nil>] [Count=2 Day=2025-02-01 Note=<nil>]\n"
	for name, above := range map[string]string{
		"a title": "Meter\n", "a title and an empty line": "Meter\n\n", "two labels": "Meter,1E5\nPlace,Cellar\n\n", "a label": "Year,2025\n",
		"a label before an empty line": "Year,2025\n\n", "what stands beside it": ",,,,,Rate,1.5\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, _, _ := strings.Cut(shownStreams(t, map[string]string{"t.xlsx": asSheet(t, above+rows)}), "t_around:")
			if diff := cmp.Diff(records, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCurrenciesOfASheet(t *testing.T) {
	const styles = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$$-409]#,##0.00"/><numFmt numFmtId="171" formatCode="#,##0.00\ &quot;€&quot;;[Red]-#,##0.00\ &quot;€&quot;"/><numFmt numFmtId="172" formatCode="[$USD]\ 0"/>` +
		`<numFmt numFmtId="173" formatCode="[$-407]0.00&quot; km&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="172"/><xf numFmtId="173"/></cellXfs></styleSheet>`
	const rows = `<row r="1"><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row><row r="2"><c s="1"><v>1.659</v></c><c s="4"><v>1</v></c></row><row r="3"><c s="2"><v>-2000</v></c><c s="4"><v>2</v></c></row><row r="4"><c s="3"><v>3</v></c><c><v>3.5</v></c></row>`
	got := shownStreams(t, map[string]string{"t.xlsx": zipOf(t, "xl/workbook.xml", `<workbook><sheets><sheet name="a" id="r"/></sheets></workbook>`,
		"xl/styles.xml", styles, "xl/worksheets/s.xml", "<worksheet><sheetData>"+rows+"</sheetData></worksheet>",
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r" Type="/worksheet" Target="worksheets/s.xml"/></Relationships>`)})
	if want := "t: [a=1.659 a_currency=$ b=1] [a=-2000 a_currency=€ b=2] [a=3 a_currency=USD b=3.5]\n"; got != want {
		t.Error(got)
	}
}
